/** Says why a step cannot be begun; the run ends with it. */
export class Unrunnable extends Error {
  readonly status: 'failed' | 'interrupted';

  constructor(status: Unrunnable['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}
