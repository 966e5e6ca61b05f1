export { findBrowserSession, prolongBrowserSession } from './browser-session.ts';
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
