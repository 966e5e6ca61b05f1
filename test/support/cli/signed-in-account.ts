import { withOrgTransaction } from '../../../db/core/transactions.ts';
import type { Database } from '../../../db/core/database.ts';
import { createProviderAccount } from '../../../db/providers/provider-accounts.ts';
import { SecretBox } from '../../../db/core/secret-box.ts';
import type { CliProvider } from '../../../domain/providers/credential-forms.ts';
import { TEST_SECRET_KEY } from '../test-api.ts';

/** Where each program keeps its sign-in. */
const FILES: Readonly<Record<CliProvider, string>> = {
  'claude-code': '.claude/.credentials.json',
  codex: '.codex/auth.json',
  'gemini-cli': '.gemini/oauth_creds.json',
};

export const CLI_SECRET = 'a-very-secret-token-of-a-person';

/** Stores an account that a person has signed in to with a scripted program. Returns its id. */
export async function storeSignedInAccount(
  database: Database,
  { orgId, id: userId }: { readonly orgId: string; readonly id: string },
  provider: CliProvider,
): Promise<string> {
  const signIn = {
    claudeAiOauth: { accessToken: CLI_SECRET },
    tokens: { access_token: CLI_SECRET },
    access_token: CLI_SECRET,
    generation: 0,
  };
  const files = { [FILES[provider]]: Buffer.from(JSON.stringify(signIn)).toString('base64') };
  return withOrgTransaction(database, orgId, async (em) => {
    const account = createProviderAccount(em, new SecretBox([TEST_SECRET_KEY]), {
      orgId,
      userId,
      providerType: provider,
      name: `My ${provider}`,
      authType: 'oauth',
      credentials: { files },
      modelName: null,
      baseUrl: null,
      cooldownSeconds: 60,
      shared: false,
      isTentative: false,
    });
    return account.id;
  });
}
