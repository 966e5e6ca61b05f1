/** Ends the run's output with one plain line that says how many tests passed, failed and were skipped. */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const skipped = results.numPendingTests + results.numTodoTests;
    // A file that could not even be loaded has no tests of its own to count.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.line = `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
    process.on('exit', () => process.stdout.write(`\n${this.line}\n`));
  }
}
