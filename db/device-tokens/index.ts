export {
  createDevice,
  findDeviceLogin,
  listDevices,
  markDeviceUsed,
  removeDevices,
  revokeDevice,
  type StoredToken,
} from './device-tokens.ts';
