"""Edge detection on grey images: HPVM's six-node pipeline.

    frame -> smooth -> laplacian sign -> zero crossings ----\\
                  \\--> gradient --------------------------> reject -> edges
                             \\--> largest gradient --------/

Borders repeat the nearest pixel (`.clamp`). Smoothing counts in whole numbers, so it is exact.

    python examples/edge_detection/edge.py examples/edge_detection/images/camera.png edges.png
"""

import sys

import numpy as np

import hvisa
from hvisa import In, Out, f32, i1, i32, u8

h, w = hvisa.dims("h w")


@hvisa.leaf(private=True)
def smooth_columns(frame: In[u8, h, w], sums: Out[i32, h, w]):
    """Vertical half of the 5x5 binomial filter (1 4 6 4 1)."""
    y, x = hvisa.grid(h, w)
    outer = i32(frame.clamp[y - 2, x]) + frame.clamp[y + 2, x]
    inner = i32(frame.clamp[y - 1, x]) + frame.clamp[y + 1, x]
    sums[y, x] = outer + inner * 4 + frame.clamp[y, x] * i32(6)


@hvisa.leaf(private=True)
def smooth_rows(sums: In[i32, h, w], smooth: Out[f32, h, w]):
    """Horizontal half, scaled to 0 .. 1."""
    y, x = hvisa.grid(h, w)
    outer = sums.clamp[y, x - 2] + sums.clamp[y, x + 2]
    inner = sums.clamp[y, x - 1] + sums.clamp[y, x + 1]
    smooth[y, x] = f32(outer + inner * 4 + sums[y, x] * 6) / 65280


@hvisa.graph
def smooth(frame: In[u8, h, w], smooth: Out[f32, h, w]):
    return smooth_rows(smooth_columns(frame))


@hvisa.leaf
def laplacian(s: In[f32, h, w], sign: Out[i1, h, w]):
    """Sign of the Laplacian, estimated as dilation + erosion - 2 * centre."""
    y, x = hvisa.grid(h, w)
    dilation = erosion = s.clamp[y, x]
    for dy in hvisa.static_range(-1, 2):
        for dx in hvisa.static_range(-1, 2):
            dilation = max(dilation, s.clamp[y + dy, x + dx])
            erosion = min(erosion, s.clamp[y + dy, x + dx])
    sign[y, x] = dilation + erosion - s.clamp[y, x] * 2 > 0


@hvisa.leaf
def zero_crossings(sign: In[i1, h, w], crossing: Out[i1, h, w]):
    """A pixel is a zero crossing if its 3x3 window holds both signs."""
    y, x = hvisa.grid(h, w)
    some, every = False, True
    for dy in hvisa.static_range(-1, 2):
        for dx in hvisa.static_range(-1, 2):
            some = some | sign.clamp[y + dy, x + dx]
            every = every & sign.clamp[y + dy, x + dx]
    crossing[y, x] = some != every


@hvisa.leaf
def gradient(s: In[f32, h, w], magnitude: Out[f32, h, w]):
    """Sobel gradient magnitude."""
    y, x = hvisa.grid(h, w)
    a, b, c = s.clamp[y - 1, x - 1], s.clamp[y - 1, x], s.clamp[y - 1, x + 1]
    d, f = s.clamp[y, x - 1], s.clamp[y, x + 1]
    g, e, i = s.clamp[y + 1, x - 1], s.clamp[y + 1, x], s.clamp[y + 1, x + 1]
    gx = (c - a) + (f - d) * 2 + (i - g)
    gy = (g - a) + (e - b) * 2 + (i - c)
    magnitude[y, x] = hvisa.sqrt(gx * gx + gy * gy)


@hvisa.leaf
def row_maximum(magnitude: In[f32, h, w]) -> f32:
    """First level of the maximum: one value a row."""
    y = hvisa.grid(h)
    return max(magnitude[y, x] for x in range(w))


@hvisa.graph
def maximum(magnitude: In[f32, h, w]) -> f32:
    """Second level: the rows are joined where the node's results meet."""
    return hvisa.reduce("max", row_maximum(magnitude))


@hvisa.leaf
def reject(crossing: In[i1, h, w], magnitude: In[f32, h, w], largest: f32, threshold: f32,
           edges: Out[u8, h, w]):
    """Keep the crossings whose gradient is above a share of the largest one."""
    y, x = hvisa.grid(h, w)
    edges[y, x] = 255 if crossing[y, x] & (magnitude[y, x] > threshold * largest) else 0


@hvisa.graph
def edge(frame: In[u8, h, w], threshold: f32, edges: Out[u8, h, w]):
    s = smooth(frame)
    magnitude = gradient(s)
    return reject(zero_crossings(laplacian(s)), magnitude, maximum(magnitude), threshold)


if __name__ == "__main__":
    from PIL import Image
    picture = np.array(Image.open(sys.argv[1]).convert("L"))
    Image.fromarray(edge(picture, 0.15)).save(sys.argv[2])
