import { describeUserLimits } from './describe-user-limits.ts';

describeUserLimits({ waiting: 12, chats: 40, rounds: 3, slotCounts: [1, 2] });
