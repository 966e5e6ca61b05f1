import { describePermissionMatrix } from './describe-permission-matrix.ts';

describePermissionMatrix({ withIds: true });
