import './asked-waits.test.ts';
