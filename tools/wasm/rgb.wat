;; Pixels of planar video as interleaved RGB, 128-bit SIMD: `node tools/wasm/build.ts` assembles this into src/regions/rgb-wasm.ts.
(module
  (memory (export "memory") 1)

  ;; $width x $height pixels to $out, three bytes each, of which one more is written behind the last. The luma begins at $luma, lines $pitch
  ;; bytes apart; of the chroma, lines $chroma bytes apart, $u and $v are the samples of the first pixel, which lies $phaseX columns and
  ;; $phaseY lines inside that sample; $shiftX and $shiftY are log2 of how many pixels a sample covers. $tables: for each code of luma
  ;; its level in 16-bit fixed point, half a level added; then for each of U and of V what it adds to red, green, blue and nothing.
  (func (export "convert")
    (param $luma i32) (param $pitch i32) (param $u i32) (param $v i32) (param $chroma i32)
    (param $width i32) (param $height i32) (param $phaseX i32) (param $phaseY i32) (param $shiftX i32) (param $shiftY i32)
    (param $tables i32) (param $out i32)
    (local $row i32) (local $x i32) (local $at i32) (local $lineU i32) (local $lineV i32) (local $color v128) (local $pixel v128)
    (loop $rows
      (local.set $at (i32.mul (i32.shr_u (i32.add (local.get $phaseY) (local.get $row)) (local.get $shiftY)) (local.get $chroma)))
      (local.set $lineU (i32.add (local.get $u) (local.get $at)))
      (local.set $lineV (i32.add (local.get $v) (local.get $at)))
      (local.set $x (i32.const 0))
      (loop $pixels
        (local.set $at (i32.shr_u (i32.add (local.get $phaseX) (local.get $x)) (local.get $shiftX)))
        (local.set $color (i32x4.add
          (v128.load offset=1024 (i32.add (local.get $tables)
            (i32.shl (i32.load8_u (i32.add (local.get $lineU) (local.get $at))) (i32.const 4))))
          (v128.load offset=5120 (i32.add (local.get $tables)
            (i32.shl (i32.load8_u (i32.add (local.get $lineV) (local.get $at))) (i32.const 4))))))
        (local.set $pixel (i32x4.shr_s
          (i32x4.add (local.get $color) (v128.load32_splat (i32.add (local.get $tables)
            (i32.shl (i32.load8_u (i32.add (local.get $luma) (local.get $x))) (i32.const 2)))))
          (i32.const 16)))
        ;; Narrowing clamps.
        (local.set $pixel (i16x8.narrow_i32x4_s (local.get $pixel) (local.get $pixel)))
        (v128.store32_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $pixel) (local.get $pixel)))
        (local.set $out (i32.add (local.get $out) (i32.const 3)))
        (br_if $pixels (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1))) (local.get $width))))
      (local.set $luma (i32.add (local.get $luma) (local.get $pitch)))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $height))))))
