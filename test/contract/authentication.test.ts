import { describeAuthentication } from './describe-authentication.ts';

// That every route refuses strangers is a part of the permission matrix.
describeAuthentication(10);
