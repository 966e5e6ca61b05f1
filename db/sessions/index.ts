export { findBrowserSession, prolongBrowserSession } from './browser-session.ts';
export { endDeviceSessions, endOtherSessions, endSession, endSessionsOf } from './end-sessions.ts';
export {
  advanceSession,
  listSessions,
  openSession,
  openSessionByPassword,
  purgeSessions,
  requireOwnSession,
  type Session,
  type SessionClient,
} from './session.ts';
