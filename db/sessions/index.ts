export {
  advanceSession,
  endDeviceSessions,
  endSession,
  endSessionsOf,
  listSessions,
  openSession,
  openSessionByPassword,
  purgeSessions,
  requireOwnSession,
  type Session,
} from './session.ts';
