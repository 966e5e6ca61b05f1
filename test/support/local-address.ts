/**
 * The address on which the servers that stand for the outside world listen: of this machine alone, or of one of the
 * machines of `npm run chaos -- --machines`.
 */
export const LOCAL_ADDRESS = process.env['TEST_LOCAL_ADDRESS'] ?? '127.0.0.1';
