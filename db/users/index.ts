export { getUser } from './get-user.ts';
export { registerUser } from './register-user.ts';
export { setPassword, updateUser } from './update-user.ts';
export { IS_MANAGED, IS_PASSWORDLESS, type User, type UserOrg } from './user.ts';
