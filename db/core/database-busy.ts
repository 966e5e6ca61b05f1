/** An organization has so much to do in the database that the rest of it would wait too long; nothing was done. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';

  constructor() {
    super('the organization has too many statements waiting');
  }
}
