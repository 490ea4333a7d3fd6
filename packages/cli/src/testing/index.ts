export { type Answered, type Bed, type Grown, makeBed, type Ran } from './bed.ts';
