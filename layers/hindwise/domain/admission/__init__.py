"""What is let into memory: secrets go, what poses as an instruction is held, smuggling is refused.

Detection is an alarm: that lower authority never replaces higher carries the load.
"""

from hindwise.domain.admission.model import Admission, Decision, Finding

__all__ = ["Admission", "Decision", "Finding"]
