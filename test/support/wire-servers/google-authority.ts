import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { GoogleServiceAccount } from '../../../domain/core/google-service-account.ts';
import { json, startWireServer, type WireServer } from './wire-server.ts';

/** Google's token address, which takes the assertions of one service account. */
export interface GoogleAuthority {
  readonly server: WireServer;
  readonly tokenUrl: string;
  readonly serviceAccount: GoogleServiceAccount;
  /** The key file as Google's console writes it. */
  readonly keyFile: Readonly<Record<string, string>>;
  /** The scopes of the tokens that were given out. */
  readonly given: string[];
}

/** Starts an authority that gives out the tokens `ya29.test-1`, `ya29.test-2` and so on, for an hour each. */
export async function startGoogleAuthority(now: () => number = Date.now): Promise<GoogleAuthority> {
  const server = await startWireServer();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const clientEmail = 'agent@project.iam.gserviceaccount.com';
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const given: string[] = [];
  server.answer((response, request) => {
    const { grant_type: grant, assertion } = request.body;
    const rules = {
      algorithms: ['RS256'],
      issuer: clientEmail,
      audience: 'https://oauth2.googleapis.com/token',
      maxTokenAge: '1 hour',
      currentDate: new Date(now()),
    };
    void jwtVerify(String(assertion), publicKey, rules).then(
      ({ payload }) => {
        if (grant !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('wrong grant');
        given.push(String(payload['scope']));
        const token = { access_token: `ya29.test-${given.length}`, expires_in: 3599, token_type: 'Bearer' };
        return json(200, token)(response, request);
      },
      () => json(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })(response, request),
    );
  });
  return {
    server,
    tokenUrl: `${server.url}/token`,
    serviceAccount: { clientEmail, privateKey: pem, privateKeyId: 'key-1' },
    keyFile: {
      type: 'service_account',
      private_key_id: 'key-1',
      private_key: pem,
      client_email: clientEmail,
      token_uri: 'http://169.254.169.254/token',
    },
    given,
  };
}
