import { describeWorkBounds } from './describe-work-bounds.ts';

describeWorkBounds({ turns: 4, isCrashing: false });
