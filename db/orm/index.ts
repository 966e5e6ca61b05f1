export { connectDatabase } from './connect.ts';
