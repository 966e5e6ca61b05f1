import './compute.test.ts';
