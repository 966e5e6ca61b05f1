/** A fault that its message explains to the operator in one sentence. It is shown as it is, and trying again would not help. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
