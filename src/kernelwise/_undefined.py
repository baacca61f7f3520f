"""What has no value, and says why."""


class Undefined(ValueError):
    """There is no value for this kernel matrix; the message says why."""


class NotConverged(Undefined, ArithmeticError):
    """An iteration stopped above its tolerance; the message says what to do."""
