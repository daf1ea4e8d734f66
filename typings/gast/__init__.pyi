"""gast makes its classes at import: to the checker they are Any."""

from typing import Any

def __getattr__(name: str) -> Any: ...
