import { planTiling, programsOf, untiledMemory } from '/work/wt/compute/src/compute/tiling/plan.ts';
import { TiledNetwork } from '/work/wt/compute/src/compute/tiling/execute.ts';
import { analyse } from '/work/wt/compute/src/compute/tiling/units.ts';
import { writeModel } from '/work/wt/compute/src/compute/tiling/onnx.ts';
import { networks } from '/work/wt/compute/tools/networks.ts';
import { InferenceSession, Tensor } from 'onnxruntime-node';
const [name, way, w, h, share='8', n='4'] = process.argv.slice(2);
const width=+w, height=+h;
const model = networks[name]();
const budget = Math.floor(untiledMemory(analyse(model, { width, height })) / Number(share));
const pixels = new Float32Array(3*width*height).map((_, i)=>((Math.imul(i,2654435761)>>>8)&255)/255-.5);
let run;
if (way==='once') { const s = await InferenceSession.create(writeModel(model), {intraOpNumThreads:1,interOpNumThreads:1,logSeverityLevel:3}); run=()=>s.run({image:new Tensor('float32',pixels,[1,3,height,width])}); }
else { const plan = planTiling(model,{width,height,budget}); const net=await TiledNetwork.open(plan.analysis, programsOf(plan)); console.log(plan.axis, plan.chains.length, plan.chains.map(c=>[c.step,c.passes.length,c.analysis.units.length]), plan.memory/2**20); run=()=>net.run({image:pixels}); if(process.env.UNITS) for (const u of plan.analysis.units) console.log(u.name, u.operators.map(o=>o.node.op+(o.node.op==='Conv'?o.rows.kernel:'')).join('+'), u.outputs.map(o=>JSON.stringify(plan.analysis.shapes.get(o))).join(' ')); }
const ts=[], fl=[];
for (let i=0;i<+n;i++){ const c=process.cpuUsage(), f=process.resourceUsage().minorPageFault; await run(); const d=process.cpuUsage(c); ts.push(Math.round((d.user+d.system)/1000)+'('+Math.round(d.system/1000)+')'); fl.push(process.resourceUsage().minorPageFault-f);}
console.log(way, ts.join(' '), 'faults', fl.join(' '), 'rss', process.resourceUsage().maxRSS/1024|0);
