;; Bounds of how well glyphs fit at four places at once, 128-bit SIMD: `node tools/wasm/build.ts` assembles this into
;; src/detectors/text/glyph-wasm.ts.
(module
  (memory (export "memory") 1)

  ;; Puts four pictures of floats side by side, less the vector at $mean, and the squares of that behind it: column c, row r of the one at
  ;; $a to vector r * 8 * $fours + 2 c of $out, and so on. Rows of the pictures are $pitch bytes apart; $fours is a quarter of the number
  ;; of columns, at least 1.
  (func (export "weave")
    (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $pitch i32) (param $fours i32) (param $rows i32)
    (param $mean i32) (param $out i32)
    (local $k i32) (local $at i32) (local $p v128) (local $q v128) (local $r v128) (local $s v128) (local $t v128) (local $u v128)
    (local $m v128) (local $v v128)
    (local.set $m (v128.load (local.get $mean)))
    (loop $down
      (local.set $k (local.get $fours))
      (local.set $at (i32.const 0))
      (loop $across
        (local.set $p (v128.load (i32.add (local.get $a) (local.get $at))))
        (local.set $q (v128.load (i32.add (local.get $b) (local.get $at))))
        (local.set $r (v128.load (i32.add (local.get $c) (local.get $at))))
        (local.set $s (v128.load (i32.add (local.get $d) (local.get $at))))
        (local.set $t (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $p) (local.get $q)))
        (local.set $u (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $r) (local.get $s)))
        (local.set $v (f32x4.sub
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)) (local.get $m)))
        (v128.store (local.get $out) (local.get $v))
        (v128.store offset=16 (local.get $out) (f32x4.mul (local.get $v) (local.get $v)))
        (local.set $v (f32x4.sub
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)) (local.get $m)))
        (v128.store offset=32 (local.get $out) (local.get $v))
        (v128.store offset=48 (local.get $out) (f32x4.mul (local.get $v) (local.get $v)))
        (local.set $t (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $p) (local.get $q)))
        (local.set $u (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $r) (local.get $s)))
        (local.set $v (f32x4.sub
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $t) (local.get $u)) (local.get $m)))
        (v128.store offset=64 (local.get $out) (local.get $v))
        (v128.store offset=80 (local.get $out) (f32x4.mul (local.get $v) (local.get $v)))
        (local.set $v (f32x4.sub
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $t) (local.get $u)) (local.get $m)))
        (v128.store offset=96 (local.get $out) (local.get $v))
        (v128.store offset=112 (local.get $out) (f32x4.mul (local.get $v) (local.get $v)))
        (local.set $out (i32.add (local.get $out) (i32.const 128)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $across (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
      (local.set $a (i32.add (local.get $a) (local.get $pitch)))
      (local.set $b (i32.add (local.get $b) (local.get $pitch)))
      (local.set $c (i32.add (local.get $c) (local.get $pitch)))
      (local.set $d (i32.add (local.get $d) (local.get $pitch)))
      (br_if $down (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; For each of $count glyphs, whose records follow each other from $glyph on, two vectors to $out: the greatest and the least value
  ;; that its log likelihood ratio at each of four places can have; and behind them the greatest of each. $image: floats, those of a pixel
  ;; at the four places side by side. A record: number of pixels, offset of its surface in $surfaces (both i32), sum of the logs of
  ;; the weights, sum of weights plus $offset, sum of weights times levels, the gain's square term (floats); then a pixel's
  ;; offset in $image (i32), weight, and weight times level (floats). A surface: vectors of mean, 1 / variance, log of the variance.
  ;; $gain and $offset are 1 / variance of their priors. Levels count from the mean, which is what floats are precise enough for; with
  ;; $centred it has been taken off them, and their squares follow each vector.
  (func (export "bound")
    (param $image i32) (param $glyph i32) (param $count i32) (param $surfaces i32) (param $out i32)
    (param $gain f32) (param $offset f32) (param $least f32) (param $centred i32)
    (local $k i32) (local $at i32) (local $pixels i32) (local $surface i32)
    (local $mean v128) (local $q v128) (local $wq v128) (local $qq v128) (local $sq v128) (local $swq v128) (local $swqt v128)
    (local $swqq v128) (local $u v128) (local $constant v128) (local $linear v128) (local $g v128) (local $doubt v128)
    (local $most v128) (local $sure v128)
    (local $sq2 v128) (local $swq2 v128) (local $swqt2 v128) (local $swqq2 v128)
    (local.set $most (f32x4.splat (f32.const -inf)))
    (local.set $sure (f32x4.splat (f32.const -inf)))
    (loop $glyphs
      (local.set $pixels (i32.load (local.get $glyph)))
      (local.set $surface (i32.add (local.get $surfaces) (i32.load offset=4 (local.get $glyph))))
      (local.set $mean (v128.load (local.get $surface)))
      (local.set $sq (v128.const i32x4 0 0 0 0))
      (local.set $swq (v128.const i32x4 0 0 0 0))
      (local.set $swqt (v128.const i32x4 0 0 0 0))
      (local.set $swqq (v128.const i32x4 0 0 0 0))
      (local.set $k (i32.add (local.get $glyph) (i32.const 24)))
      (local.set $pixels (i32.add (local.get $k) (i32.mul (local.get $pixels) (i32.const 12))))
      (block $none
        (br_if $none (i32.eq (local.get $k) (local.get $pixels)))
        (if (local.get $centred)
          (then
            ;; Two pixels at a time, each with sums of its own, so that neither waits for the other.
            (local.set $sq2 (v128.const i32x4 0 0 0 0))
            (local.set $swq2 (v128.const i32x4 0 0 0 0))
            (local.set $swqt2 (v128.const i32x4 0 0 0 0))
            (local.set $swqq2 (v128.const i32x4 0 0 0 0))
            (if (i32.and (i32.load (local.get $glyph)) (i32.const 1)) (then
              (local.set $at (i32.add (local.get $image) (i32.load (local.get $k))))
              (local.set $u (v128.load offset=16 (local.get $at)))
              (local.set $q (v128.load (local.get $at)))
              (local.set $wq (v128.load32_splat offset=4 (local.get $k)))
              (local.set $sq (f32x4.add (local.get $sq) (local.get $u)))
              (local.set $swq (f32x4.add (local.get $swq) (f32x4.mul (local.get $wq) (local.get $q))))
              (local.set $swqt (f32x4.add (local.get $swqt)
                (f32x4.mul (v128.load32_splat offset=8 (local.get $k)) (local.get $q))))
              (local.set $swqq (f32x4.add (local.get $swqq) (f32x4.mul (local.get $wq) (local.get $u))))
              (local.set $k (i32.add (local.get $k) (i32.const 12)))))
            (block $alone
              (br_if $alone (i32.eq (local.get $k) (local.get $pixels)))
              (loop $centre
                (local.set $at (i32.add (local.get $image) (i32.load (local.get $k))))
                (local.set $u (v128.load offset=16 (local.get $at)))
                (local.set $q (v128.load (local.get $at)))
                (local.set $wq (v128.load32_splat offset=4 (local.get $k)))
                (local.set $sq (f32x4.add (local.get $sq) (local.get $u)))
                (local.set $swq (f32x4.add (local.get $swq) (f32x4.mul (local.get $wq) (local.get $q))))
                (local.set $swqt (f32x4.add (local.get $swqt)
                  (f32x4.mul (v128.load32_splat offset=8 (local.get $k)) (local.get $q))))
                (local.set $swqq (f32x4.add (local.get $swqq) (f32x4.mul (local.get $wq) (local.get $u))))
                (local.set $at (i32.add (local.get $image) (i32.load offset=12 (local.get $k))))
                (local.set $u (v128.load offset=16 (local.get $at)))
                (local.set $q (v128.load (local.get $at)))
                (local.set $wq (v128.load32_splat offset=16 (local.get $k)))
                (local.set $sq2 (f32x4.add (local.get $sq2) (local.get $u)))
                (local.set $swq2 (f32x4.add (local.get $swq2) (f32x4.mul (local.get $wq) (local.get $q))))
                (local.set $swqt2 (f32x4.add (local.get $swqt2)
                  (f32x4.mul (v128.load32_splat offset=20 (local.get $k)) (local.get $q))))
                (local.set $swqq2 (f32x4.add (local.get $swqq2) (f32x4.mul (local.get $wq) (local.get $u))))
                (br_if $centre (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 24))) (local.get $pixels)))))
            (local.set $sq (f32x4.add (local.get $sq) (local.get $sq2)))
            (local.set $swq (f32x4.add (local.get $swq) (local.get $swq2)))
            (local.set $swqt (f32x4.add (local.get $swqt) (local.get $swqt2)))
            (local.set $swqq (f32x4.add (local.get $swqq) (local.get $swqq2))))
          (else
            (loop $sums
              (local.set $q (f32x4.sub (v128.load (i32.add (local.get $image) (i32.load (local.get $k)))) (local.get $mean)))
              (local.set $wq (f32x4.mul (v128.load32_splat offset=4 (local.get $k)) (local.get $q)))
              (local.set $sq (f32x4.add (local.get $sq) (f32x4.mul (local.get $q) (local.get $q))))
              (local.set $swq (f32x4.add (local.get $swq) (local.get $wq)))
              (local.set $swqt (f32x4.add (local.get $swqt)
                (f32x4.mul (v128.load32_splat offset=8 (local.get $k)) (local.get $q))))
              (local.set $swqq (f32x4.add (local.get $swqq) (f32x4.mul (local.get $wq) (local.get $q))))
              (br_if $sums (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 12))) (local.get $pixels)))))))
      ;; With the best offset put in, -2 log likelihood is a parabola in the gain: constant - 2 linear g + square g g.
      (local.set $u (f32x4.sub (local.get $swq) (f32x4.mul (f32x4.splat (local.get $offset)) (local.get $mean))))
      (local.set $q (f32x4.div (local.get $u) (v128.load32_splat offset=12 (local.get $glyph))))
      (local.set $constant (f32x4.add
        (f32x4.add (f32x4.splat (local.get $gain)) (local.get $swqq))
        (f32x4.mul (f32x4.splat (local.get $offset)) (f32x4.mul (local.get $mean) (local.get $mean)))))
      (local.set $linear (f32x4.sub
        (f32x4.add (f32x4.splat (local.get $gain)) (local.get $swqt))
        (f32x4.mul (local.get $q) (v128.load32_splat offset=16 (local.get $glyph)))))
      (local.set $g (f32x4.max (f32x4.splat (local.get $least))
        (f32x4.div (local.get $linear) (v128.load32_splat offset=20 (local.get $glyph)))))
      ;; What rounding may have done, many times over.
      (local.set $doubt (f32x4.add (f32x4.splat (f32.const 0.05))
        (f32x4.mul (f32x4.splat (f32.const 0.00001))
          (f32x4.add (local.get $constant) (f32x4.abs (f32x4.mul (local.get $linear) (local.get $g)))))))
      ;; The rival: a surface with mean and variance of the box.
      (local.set $wq (f32x4.add (v128.load32_splat offset=8 (local.get $glyph))
        (f32x4.add
          (f32x4.mul (local.get $sq) (v128.load offset=16 (local.get $surface)))
          (f32x4.mul (f32x4.splat (f32.convert_i32_s (i32.load (local.get $glyph)))) (v128.load offset=32 (local.get $surface))))))
      (local.set $wq (f32x4.sub (local.get $wq)
        (f32x4.sub (f32x4.sub (local.get $constant) (f32x4.mul (local.get $u) (local.get $q)))
          (f32x4.mul (local.get $g)
            (f32x4.sub (f32x4.add (local.get $linear) (local.get $linear))
              (f32x4.mul (local.get $g) (v128.load32_splat offset=20 (local.get $glyph))))))))
      (local.set $wq (f32x4.mul (local.get $wq) (f32x4.splat (f32.const 0.5))))
      (local.set $q (f32x4.sub (local.get $wq) (local.get $doubt)))
      (local.set $wq (f32x4.add (local.get $wq) (local.get $doubt)))
      (v128.store (local.get $out) (local.get $wq))
      (v128.store offset=16 (local.get $out) (local.get $q))
      (local.set $most (f32x4.pmax (local.get $most) (local.get $wq)))
      (local.set $sure (f32x4.pmax (local.get $sure) (local.get $q)))
      (local.set $out (i32.add (local.get $out) (i32.const 32)))
      (local.set $glyph (local.get $pixels))
      (br_if $glyphs (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))
    (v128.store (local.get $out) (local.get $most))
    (v128.store offset=16 (local.get $out) (local.get $sure)))

  ;; Sums over a glyph's $pixels pixels in three planes, each in the order and the doubles that plain code would take. $image: four
  ;; floats a pixel, those of the planes and one that means nothing. $glyph: a pixel's offset in $image (i32, and as much left out),
  ;; weight and level (doubles). To $out, four doubles each: levels p, squares of p, weight w times p, w p level, w p p.
  (func (export "sums") (param $image i32) (param $glyph i32) (param $pixels i32) (param $out i32)
    (local $v v128) (local $a v128) (local $b v128) (local $w v128) (local $t v128) (local $wa v128) (local $wb v128)
    (local $sa v128) (local $sb v128) (local $qa v128) (local $qb v128) (local $pa v128) (local $pb v128)
    (local $ta v128) (local $tb v128) (local $ra v128) (local $rb v128)
    (local.set $pixels (i32.add (local.get $glyph) (i32.mul (local.get $pixels) (i32.const 24))))
    (block $none
      (br_if $none (i32.eq (local.get $glyph) (local.get $pixels)))
      (loop $next
        (local.set $v (v128.load (i32.add (local.get $image) (i32.load (local.get $glyph)))))
        (local.set $a (f64x2.promote_low_f32x4 (local.get $v)))
        (local.set $b (f64x2.promote_low_f32x4
          (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v))))
        (local.set $w (v128.load64_splat offset=8 (local.get $glyph)))
        (local.set $t (v128.load64_splat offset=16 (local.get $glyph)))
        (local.set $wa (f64x2.mul (local.get $w) (local.get $a)))
        (local.set $wb (f64x2.mul (local.get $w) (local.get $b)))
        (local.set $sa (f64x2.add (local.get $sa) (local.get $a)))
        (local.set $sb (f64x2.add (local.get $sb) (local.get $b)))
        (local.set $qa (f64x2.add (local.get $qa) (f64x2.mul (local.get $a) (local.get $a))))
        (local.set $qb (f64x2.add (local.get $qb) (f64x2.mul (local.get $b) (local.get $b))))
        (local.set $pa (f64x2.add (local.get $pa) (local.get $wa)))
        (local.set $pb (f64x2.add (local.get $pb) (local.get $wb)))
        (local.set $ta (f64x2.add (local.get $ta) (f64x2.mul (local.get $wa) (local.get $t))))
        (local.set $tb (f64x2.add (local.get $tb) (f64x2.mul (local.get $wb) (local.get $t))))
        (local.set $ra (f64x2.add (local.get $ra) (f64x2.mul (local.get $wa) (local.get $a))))
        (local.set $rb (f64x2.add (local.get $rb) (f64x2.mul (local.get $wb) (local.get $b))))
        (br_if $next (i32.lt_u (local.tee $glyph (i32.add (local.get $glyph) (i32.const 24))) (local.get $pixels)))))
    (v128.store (local.get $out) (local.get $sa))
    (v128.store offset=16 (local.get $out) (local.get $sb))
    (v128.store offset=32 (local.get $out) (local.get $qa))
    (v128.store offset=48 (local.get $out) (local.get $qb))
    (v128.store offset=64 (local.get $out) (local.get $pa))
    (v128.store offset=80 (local.get $out) (local.get $pb))
    (v128.store offset=96 (local.get $out) (local.get $ta))
    (v128.store offset=112 (local.get $out) (local.get $tb))
    (v128.store offset=128 (local.get $out) (local.get $ra))
    (v128.store offset=144 (local.get $out) (local.get $rb)))

  ;; Integral images of three planes at once: entry (x, y) at $out holds the sums of all levels left of x and above y, four doubles, and
  ;; those of their squares, four doubles. One row and one column larger than the picture, which is laid out as for "sums".
  (func (export "integrate") (param $image i32) (param $width i32) (param $height i32) (param $out i32)
    (local $x i32) (local $above i32) (local $pitch i32) (local $v v128) (local $a v128) (local $b v128)
    (local $sa v128) (local $sb v128) (local $qa v128) (local $qb v128)
    (local.set $pitch (i32.shl (i32.add (local.get $width) (i32.const 1)) (i32.const 6)))
    (memory.fill (local.get $out) (i32.const 0) (local.get $pitch))
    (local.set $above (local.get $out))
    (local.set $out (i32.add (local.get $out) (local.get $pitch)))
    (loop $down
      (memory.fill (local.get $out) (i32.const 0) (i32.const 64))
      (local.set $sa (v128.const i32x4 0 0 0 0))
      (local.set $sb (v128.const i32x4 0 0 0 0))
      (local.set $qa (v128.const i32x4 0 0 0 0))
      (local.set $qb (v128.const i32x4 0 0 0 0))
      (local.set $x (local.get $width))
      (loop $across
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (local.set $above (i32.add (local.get $above) (i32.const 64)))
        (local.set $v (v128.load (local.get $image)))
        (local.set $a (f64x2.promote_low_f32x4 (local.get $v)))
        (local.set $b (f64x2.promote_low_f32x4
          (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $v) (local.get $v))))
        (local.set $sa (f64x2.add (local.get $sa) (local.get $a)))
        (local.set $sb (f64x2.add (local.get $sb) (local.get $b)))
        (local.set $qa (f64x2.add (local.get $qa) (f64x2.mul (local.get $a) (local.get $a))))
        (local.set $qb (f64x2.add (local.get $qb) (f64x2.mul (local.get $b) (local.get $b))))
        (v128.store (local.get $out) (f64x2.add (v128.load (local.get $above)) (local.get $sa)))
        (v128.store offset=16 (local.get $out) (f64x2.add (v128.load offset=16 (local.get $above)) (local.get $sb)))
        (v128.store offset=32 (local.get $out) (f64x2.add (v128.load offset=32 (local.get $above)) (local.get $qa)))
        (v128.store offset=48 (local.get $out) (f64x2.add (v128.load offset=48 (local.get $above)) (local.get $qb)))
        (local.set $image (i32.add (local.get $image) (i32.const 16)))
        (br_if $across (local.tee $x (i32.sub (local.get $x) (i32.const 1)))))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (local.set $above (i32.add (local.get $above) (i32.const 64)))
      (br_if $down (local.tee $height (i32.sub (local.get $height) (i32.const 1)))))))
