import { integrationKind, readAddressPath } from '../../../../domain/integrations/index.ts';
import { hostOf, portOf } from '../../../../domain/network/index.ts';
import type { Trust } from '../../../core/network/guarded-connect.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { Account } from './connections.ts';

/** Where an integration is connected to. */
export interface Endpoint {
  /** The name of what is there, for people. */
  readonly service: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** What follows the host, without slashes around it. */
  readonly path: string;
  readonly user: string;
  readonly password: string;
  /** How its certificate is judged; undefined where nothing is encrypted. */
  readonly tls: Trust | undefined;
  /** Whether it is encrypted from the first byte, as the scheme says; it begins in the open otherwise. */
  readonly isEncryptedAtOnce: boolean;
}

const ENCRYPTED_AT_ONCE: ReadonlySet<string> = new Set(['rediss:', 'smtps:', 'imaps:']);

/** Returns where an integration is connected to. */
export function endpointOf({ kind, name, apiUrl, settings, secrets }: Account): Endpoint {
  const url = URL.parse(apiUrl);
  if (url === null) throw new ToolFailure('invalid_input', `The address of the integration ${name} is no address`);
  const rules = integrationKind(kind);
  const read = readAddressPath(rules, url);
  if ('issue' in read) throw new ToolFailure('invalid_input', `The address of the integration ${name} ${read.issue}`);
  const isEncryptedAtOnce = ENCRYPTED_AT_ONCE.has(url.protocol);
  const isOpen = !isEncryptedAtOnce && (settings['tls'] === 'off' || url.protocol === 'redis:');
  return {
    service: rules.name,
    host: hostOf(url),
    port: portOf(url),
    path: read.path,
    user: secrets['user'] ?? '',
    password: secrets['password'] ?? '',
    tls: isOpen ? undefined : { ca: secrets['ca'] },
    isEncryptedAtOnce,
  };
}
