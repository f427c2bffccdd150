"""`python -m infra.local.stages STAGE`: the parameters that samconfig.toml gives a stage.

`sam deploy` takes those of the command line or those of the file, not both.
"""

import sys
import tomllib
from pathlib import Path

FILE = Path(__file__).parents[2] / "samconfig.toml"


def own(stage: str) -> str:
    """A stage's parameters as `Name=value` words; raises LookupError naming the stages."""
    stages = {
        name: commands["deploy"]["parameters"]
        for name, commands in tomllib.loads(FILE.read_text()).items()
        if isinstance(commands, dict) and "deploy" in commands
    }
    if stage not in stages:
        raise LookupError(f"no stage {stage} in {FILE.name}; there are {', '.join(stages)}")
    return str(stages[stage]["parameter_overrides"])


if __name__ == "__main__":
    try:
        print(own(sys.argv[1]))
    except LookupError as error:
        sys.exit(str(error))
