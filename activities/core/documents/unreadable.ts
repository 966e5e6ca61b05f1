/** A document that cannot be read; the message says why, for a person or a model. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
