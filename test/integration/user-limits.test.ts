import { describeUserLimits } from './describe-user-limits.ts';

describeUserLimits({ waiting: 6, chats: 8, rounds: 2, slotCounts: [1] });
