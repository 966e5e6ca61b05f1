export {
  createDevice,
  type Device,
  findDeviceLogin,
  listDevices,
  markDeviceUsed,
  revokeDevice,
  type StoredToken,
} from './device-tokens.ts';
