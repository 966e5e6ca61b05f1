import { describeHeavyLists } from './describe-heavy-lists.ts';

describeHeavyLists(Infinity);
