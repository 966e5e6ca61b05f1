export { getUser } from './get-user.ts';
export { registerUser } from './register-user.ts';
export { setPassword, updateUser } from './update-user.ts';
export { IS_MANAGED, IS_PASSWORDLESS } from './user.ts';
