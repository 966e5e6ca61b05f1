export {
  advanceSession,
  endSession,
  listSessions,
  openSession,
  openSessionByPassword,
  requireOwnSession,
  type Session,
} from './session.ts';
