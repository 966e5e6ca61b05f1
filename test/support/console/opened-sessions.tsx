import { Session } from '../../../console/core/session/session.ts';

const opened: Session[] = [];

/** Opens a session that is closed at the end of the test. */
export function openSession(): Session {
  const session = new Session();
  opened.push(session);
  return session;
}

/** Closes the sessions of a test. */
export function closeSessions(): void {
  for (const session of opened.splice(0)) session.close();
}
