"""A model in process: the rules of the demo model, without HTTP."""

import json

from hindwise.domain.ports import Question, Reply
from infra.local import demo_llm
from infra.local.fake_llm import Asked

ANSWERS = {
    "extract": demo_llm.extracted,
    "judge": demo_llm.judged,
    "consolidate": demo_llm.consolidated,
    "rewrite": demo_llm.rewritten,
}


class DemoReasoner:
    """Answers at once, the same question always the same."""

    id = "demo-rules"

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Reply:
        self.questions.append(question)
        asked = Asked(
            task=question.shape,
            system=question.system,
            user=question.user,
            format=None,
            body={},
            headers={},
            key="",
        )
        answer = ANSWERS[question.shape](asked)
        text = json.dumps(answer, ensure_ascii=False)
        return Reply(text=text, input_tokens=10, output_tokens=10)
