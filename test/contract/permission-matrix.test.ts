import { describePermissionMatrix } from './describe-permission-matrix.ts';

// Other tests send ids as an owner: of bodies, of queries and of records of others.
describePermissionMatrix({ withIds: false });
