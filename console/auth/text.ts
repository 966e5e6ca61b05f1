import { ownText } from '../core/text/text-context.tsx';

/** Returns what the page says where the first account of a server is made, in the language of the page. */
export const useSetupText = ownText({
  en: {
    title: 'Set up Everturn',
    lead: 'This server has no accounts yet. Create the first one with the setup token from the server log.',
    token: 'Setup token',
    whereToken: 'The API logged it at startup. See logs/api.log in the data folder, or with Docker run:',
    logCommand: 'docker compose logs api | grep setup_token',
  },
});
