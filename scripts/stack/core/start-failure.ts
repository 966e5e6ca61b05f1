/**
 * An error whose message explains it to the operator in one sentence. It is shown unchanged, and trying again would not
 * help.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
