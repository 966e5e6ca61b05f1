export {
  createDevice,
  findDeviceLogin,
  listDevices,
  markDeviceUsed,
  revokeDevice,
  type StoredToken,
} from './device-tokens.ts';
