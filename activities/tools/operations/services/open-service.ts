import { integrationKind, type IntegrationKindKey, type Secrets } from '../../../../domain/integrations/index.ts';
import { noIntegrationOf } from '../../../../domain/tools/index.ts';
import type { GuardedHttp } from '../../../core/network/guarded-http.ts';
import { maskedSecrets } from '../../../core/masked-secrets.ts';
import { HeldSecrets } from '../../../integrations/index.ts';
import type { OpenService, Service } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { sendToService, type ServiceTarget } from './send-to-service.ts';

/** An integration whose service a call may open; its secrets are opened when it is the one. */
export interface ServiceAccount extends Pick<Service, 'kind' | 'name' | 'apiUrl' | 'settings'> {
  /** Opens them; with those that the service has just rejected, others in their place where they can be renewed. */
  openSecrets(rejected?: Secrets): Promise<Secrets>;
  /** Notes that it was used; with words for people when the service has rejected its credentials. */
  noteUse(error: string | null): Promise<void>;
}

interface ServiceDeps {
  readonly http: GuardedHttp;
  /** Returns the organization's integrations of these kinds, oldest first. */
  readonly list: (kinds: readonly IntegrationKindKey[]) => Promise<readonly ServiceAccount[]>;
  /** Whether an earlier attempt at the call may have sent the same requests. */
  readonly isRepeated: boolean;
}

/** Returns how a call opens the services of its organization's integrations, until the signal aborts. */
export function servicesOf({ http, list, isRepeated }: ServiceDeps, signal: AbortSignal): OpenService {
  return async <K extends IntegrationKindKey>(kinds: readonly K[], name: string | undefined) => {
    const accounts = await list(kinds);
    const account = chosenOf(accounts, name, kinds);
    const { apiUrl, settings } = account;
    const held = new HeldSecrets(await account.openSecrets(), {
      renew: async (rejected) => account.openSecrets(rejected),
      masked: (secrets) => maskedSecrets(integrationKind(account.kind), secrets),
    });
    const target: ServiceTarget = { account, held, http, isRepeated, signal };
    return {
      // Only accounts of these kinds are listed.
      kind: account.kind as K,
      name: account.name,
      apiUrl,
      settings,
      get secrets() {
        return held.secrets;
      },
      mask: (text) => held.mask(text),
      noteUse: async (rejection) => account.noteUse(rejection),
      request: async (request) => sendToService(target, request),
    };
  };
}

/** Returns the account of this name, or the only one; throws `ToolFailure` when there is none, or none was named. */
export function chosenOf<T extends { readonly name: string }>(
  accounts: readonly T[],
  name: string | undefined,
  kinds: readonly IntegrationKindKey[],
): T {
  const [first, second] = accounts;
  if (first === undefined) throw new ToolFailure('denied', noIntegrationOf(kinds));
  const names = accounts.map((each) => each.name).join(', ');
  if (name === undefined) {
    if (second === undefined) return first;
    throw new ToolFailure('invalid_input', `There are several integrations: name one of ${names}`);
  }
  const named = accounts.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (named === undefined) throw new ToolFailure('not_found', `There is no such integration; there is ${names}`);
  return named;
}
