import { z } from 'zod';
import { givenOr } from './setting-values.ts';

const text = givenOr(z.string().optional());

/**
 * The settings of an external Temporal server, under the names that Temporal's own tools use. Paths point to PEM files.
 */
export const temporalConnectionSettings = {
  TEMPORAL_TLS: givenOr(z.enum(['true', 'false'], 'must be true or false').optional()),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text,
  TEMPORAL_TLS_SERVER_NAME: text,
  TEMPORAL_TLS_CLIENT_CERT_PATH: text,
  TEMPORAL_TLS_CLIENT_KEY_PATH: text,
  TEMPORAL_API_KEY: text,
} as const;

/** The settings above, as they were read. */
export type TemporalConnectionSettings = {
  readonly [Name in keyof typeof temporalConnectionSettings]?: z.output<(typeof temporalConnectionSettings)[Name]>;
};

/** The connection options of Temporal's SDK clients, apart from the address. */
export interface TemporalConnection {
  readonly tls?:
    | false
    | {
        readonly serverRootCACertificate?: Uint8Array;
        readonly serverNameOverride?: string;
        readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
      };
  readonly apiKey?: string;
}

/** Returns the names of those given settings that point to an external Temporal server. */
export function namesOfTemporalConnection(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(temporalConnectionSettings).filter((name) => settings[name] !== undefined);
}

/**
 * Reads the certificates that the settings name. With any of the settings the connection is encrypted, unless
 * `TEMPORAL_TLS` says `false`. Throws a sentence that begins with the name of the faulty setting.
 */
export function temporalConnection(
  settings: TemporalConnectionSettings,
  readFile: (path: string) => Uint8Array,
): TemporalConnection {
  const { TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS_SERVER_NAME: serverName, ...rest } = settings;
  if (namesOfTemporalConnection(settings).length === 0) return {};
  if (rest.TEMPORAL_TLS === 'false') return { tls: false, ...(apiKey !== undefined && { apiKey }) };
  const read = (name: 'SERVER_CA_CERT_PATH' | 'CLIENT_CERT_PATH' | 'CLIENT_KEY_PATH') => {
    const path = rest[`TEMPORAL_TLS_${name}`];
    return path === undefined ? undefined : readNamed(`TEMPORAL_TLS_${name}`, path, readFile);
  };
  const [ca, crt, key] = [read('SERVER_CA_CERT_PATH'), read('CLIENT_CERT_PATH'), read('CLIENT_KEY_PATH')];
  if ((crt === undefined) !== (key === undefined))
    throw new Error('TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH must be set together');
  return {
    ...(apiKey !== undefined && { apiKey }),
    tls: {
      ...(ca !== undefined && { serverRootCACertificate: ca }),
      ...(serverName !== undefined && { serverNameOverride: serverName }),
      ...(crt !== undefined && key !== undefined && { clientCertPair: { crt, key } }),
    },
  };
}

function readNamed(name: string, path: string, readFile: (path: string) => Uint8Array): Uint8Array {
  try {
    return readFile(path);
  } catch (error) {
    throw new Error(`${name}: ${path} cannot be read`, { cause: error });
  }
}
