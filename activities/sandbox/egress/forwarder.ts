/** Where programs inside find their proxy, and the socket of the gateway behind it. */
const PORT = 3128;
export const GATEWAY_SOCKET = '/run/egress.sock';
/** The Node of the service, as the command sees it. */
export const NODE = '/run/node';
/** Node for programs of the service, which use no proxy: loading what reads the variables doubles the start of Node. */
export const NODE_WITHOUT_PROXY = [
  NODE,
  ...(process.allowedNodeEnvironmentFlags.has('--use-env-proxy') ? ['--no-use-env-proxy'] : []),
];

/**
 * Runs inside: takes connections for the proxy, hands them to the gateway, and starts the command. Programs know
 * proxies by a port, and the only port here is one of the sandbox itself.
 */
const FORWARDER = `
const { connect, createServer } = require('node:net');
const { constants } = require('node:os');
const [program, ...args] = process.argv.slice(1);
const server = createServer((client) => {
  const gateway = connect('${GATEWAY_SOCKET}');
  client.on('error', () => gateway.destroy());
  gateway.on('error', () => client.destroy());
  client.pipe(gateway).pipe(client);
});
server.listen(${PORT}, '127.0.0.1', () => {
  const child = require('node:child_process').spawn(program, args, { stdio: 'inherit' });
  child.on('error', () => process.exit(127));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});`;

/** The address of that proxy. */
export const PROXY = `http://127.0.0.1:${PORT}`;

/** The variables by which programs find the proxy. */
export const PROXY_VARIABLES = {
  http_proxy: PROXY,
  https_proxy: PROXY,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  NODE_USE_ENV_PROXY: '1',
};

/** Returns the command behind the forwarder. */
export function forwarded(command: readonly string[]): string[] {
  return [...NODE_WITHOUT_PROXY, '-e', FORWARDER, '--', ...command];
}
