/**
 * Numerical building blocks that are usable on their own: fixed-point filter kernels that keep their sum, neural networks in tiles
 * within a memory budget, and graphs of kernel calls on several devices.
 *
 * @packageDocumentation
 */

export { convertIfWorthwhile, COSTS, estimateCost } from './quantize/cost.ts';
export type { Arithmetic, Conversion, Cost, CostModel, Operation } from './quantize/cost.ts';
export { formatKernelC, formatKernelJson, formatKernelTable } from './quantize/format.ts';
export { gaussian, lanczos, normalize, outerProduct, toKernel } from './quantize/kernel.ts';
export type { Kernel, NestedNumbers } from './quantize/kernel.ts';
export { factorKernel, quantizeKernel, quantizeSeparable } from './quantize/quantize.ts';
export type { QuantizedKernel, QuantizeOptions, QuantizeReport, SeparatedKernel } from './quantize/quantize.ts';
export { findSymmetries } from './quantize/symmetry.ts';
export type { Symmetries, SymmetryClass, SymmetryName } from './quantize/symmetry.ts';

export { listInstructions } from './tiling/compile.ts';
export type { Instruction } from './tiling/compile.ts';
export type { ImageModel, ImageModelOptions, ImageSource, ReadRequest, RunOptions } from './tiling/execute.ts';
export { readModel } from './tiling/model.ts';
export type { Model } from './tiling/model.ts';
export { comparePlan, formatBytes, planTiling } from './tiling/plan.ts';
export type { Chain, RunCost, PlanComparison, TilingOptions, TilingPlan } from './tiling/plan.ts';
export { openImageModel } from './inference.ts';

export { closedCurve, curvePosition, devicePaths } from './scheduler/curves.ts';
export type { Path } from './scheduler/curves.ts';
export { graphSchema, parseGraph } from './scheduler/description.ts';
export type { Graph } from './scheduler/description.ts';
export type { DeviceOptions } from './scheduler/device.ts';
export type { GraphKernel } from './scheduler/device-thread.ts';
export { planGraph } from './scheduler/graph.ts';
export type { After, KernelCall, Plan, PlannedCall, Read, Resource, Write } from './scheduler/graph.ts';
export {
  allIndices,
  anyOf,
  atOffset,
  resolveDependency,
  resolveIndex,
  sameIndex,
  scaledBy,
  withinRadius,
} from './scheduler/index-space.ts';
export type { Dependency, Extents, Index, Outside } from './scheduler/index-space.ts';
export { runGraph } from './scheduler/run-graph.ts';
export type { GraphResult, GraphRun, SizedResource } from './scheduler/run-graph.ts';
export { Trace } from '../threads/trace.ts';
