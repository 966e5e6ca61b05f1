import { fileURLToPath } from 'node:url';

/** The value of each variable that a provider's library would read. It must never leave the worker. */
export const CANARY = 'canary-of-the-operator';

/** A model with a price of the operator's. */
export const PRICED_MODEL = 'priced-1';

/** What the environment of the worker that test files share holds beside its own settings. */
export const OPERATOR_ENVIRONMENT: Readonly<Record<string, string>> = {
  PRICES_FILE: fileURLToPath(new URL('operator-prices.json', import.meta.url)),
  OPENAI_API_KEY: CANARY,
  OPENAI_ADMIN_KEY: CANARY,
  OPENAI_BASE_URL: `http://127.0.0.1:1/${CANARY}`,
  OPENAI_ORG_ID: CANARY,
  OPENAI_PROJECT_ID: CANARY,
  OPENAI_WEBHOOK_SECRET: CANARY,
  OPENAI_API_VERSION: CANARY,
  OPENAI_CUSTOM_HEADERS: `X-Canary: ${CANARY}\nAuthorization: Bearer ${CANARY}`,
  OPENAI_LOG: 'debug',
  AZURE_OPENAI_API_KEY: CANARY,
  ANTHROPIC_API_KEY: CANARY,
  ANTHROPIC_AUTH_TOKEN: CANARY,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:1/${CANARY}`,
  ANTHROPIC_CUSTOM_HEADERS: `X-Canary: ${CANARY}`,
  GEMINI_API_KEY: CANARY,
  GOOGLE_API_KEY: CANARY,
  GOOGLE_APPLICATION_CREDENTIALS: `/${CANARY}`,
  AWS_ACCESS_KEY_ID: CANARY,
  AWS_SECRET_ACCESS_KEY: CANARY,
  AWS_SESSION_TOKEN: CANARY,
  HTTP_PROXY: `http://${CANARY}:1`,
  HTTPS_PROXY: `http://${CANARY}:1`,
  ALL_PROXY: `http://${CANARY}:1`,
};
