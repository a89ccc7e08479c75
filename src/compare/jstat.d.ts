/** What is used of the library, which has no types of its own. */
declare module "jstat" {
  const library: {
    readonly jStat: {
      /** Returns the regularized incomplete beta function. */
      ibeta(x: number, a: number, b: number): number;
      readonly studentt: {
        /** Returns the quantile of Student's t distribution. */
        inv(probability: number, freedom: number): number;
      };
    };
  };
  export default library;
}
