/** The path that services send people back to who have signed in with an integration. */
export const CALLBACK_PATH = '/api/integrations/oauth/callback';
