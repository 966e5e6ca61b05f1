export { advanceSession, endSession, openSession, type Session } from './session.ts';
