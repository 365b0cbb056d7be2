/**
 * What is not as it must be.
 *
 * - `ROW`: rows of the log stand there once each, as they were sent.
 * - `KIND`, `CHAIN`: a row is of the kind that its namespace has by what its node told, and of the chain that the node named.
 * - `EVIDENCE`: what the blocks say of it, as ARCHITECTURE has it under "Closing gaps"; what cannot be decided stays `OBSERVED`.
 * - `HISTORY`: a row that one history of the chain shows is neither paid for nothing in another, nor reconstructed beside it.
 * - `UNPLACED`: nor is a row of the chain reconstructed whose node has shown no block of it.
 * - `GROUP`: what is reconstructed was posted, is left over by all rows, and its DA height is closed.
 * - `SUCCESS`, `FAILURE`: it is no recorded success, and no recorded failure that may have landed.
 * - `LATE`: nor one whose row, which does not tell where it landed, was shown only after that.
 * - `MISSING`: what nothing can explain is reconstructed.
 * - `LOSS`: a loss is held as stated, and its minimum is what names it; never more than were lost.
 * - `LOSS_OF_SEVERAL`: the same where other losses lie between the same two successes; what several can hold is part of none.
 * - `ATTEMPTS`: a chain counts each attempt once, and what it carried.
 */
export interface Fault {
  readonly rule:
    | 'ROW'
    | 'KIND'
    | 'CHAIN'
    | 'EVIDENCE'
    | 'HISTORY'
    | 'UNPLACED'
    | 'GROUP'
    | 'SUCCESS'
    | 'FAILURE'
    | 'LATE'
    | 'MISSING'
    | 'LOSS'
    | 'LOSS_OF_SEVERAL'
    | 'ATTEMPTS';
  readonly text: string;
}
