export { HOST_TOKEN, HostServer } from './host-server.ts';
export { World } from './world.ts';
