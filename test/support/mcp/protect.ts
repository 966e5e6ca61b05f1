import type { HostileMcpServer } from './hostile-mcp-server.ts';

interface Protection {
  /** The authorization server that the resource names. */
  readonly issuer: () => string;
  readonly takes: (authorization: string | undefined) => boolean;
}

/** Lets a server ask for a token, and name an authorization server. */
export function protect(resource: HostileMcpServer, { issuer, takes }: Protection): void {
  const metadataPath = '/.well-known/oauth-protected-resource/mcp';
  resource.onRequest = (request, response) => {
    if (request.url === metadataPath) {
      const metadata = { resource: resource.url, authorization_servers: [issuer()] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    }
    if (takes(request.headers.authorization)) return false;
    const challenge = `Bearer resource_metadata="http://127.0.0.1:${resource.port}${metadataPath}"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
}
