import { describeWorkBounds } from './describe-work-bounds.ts';

describeWorkBounds({ turns: 12, isCrashing: true });
