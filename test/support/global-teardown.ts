import { endPostgres } from './run/serve-postgres.ts';

export default endPostgres;
