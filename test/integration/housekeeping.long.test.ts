import './housekeeping.test.ts';
