import { describeHeadStart } from './describe-head-start.ts';

describeHeadStart(1);
