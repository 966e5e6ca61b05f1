// The SDK notes a stack trace for every promise that a workflow makes, so that it can answer `__stack_trace`; with ten
// frames each, that takes a tenth of the workflow thread's time. Failures are found by their message and one frame.
Error.stackTraceLimit = 1;
